-- What stands below a content is asked before it is deleted.
CREATE INDEX idx_content_parent ON content (parent_id);
