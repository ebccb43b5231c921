"""One page on both sides, for tests of the write-back: `world.page` names it."""


def there(world):
    return world.sandbox.documents.get(world.page)


async def here(world):
    return await world.store.get(world.page)


async def push_of(world):
    return (await world.store.standing(world.page)).push


async def agree(world):
    """Tell whether both sides are the same and nothing is left to tell."""
    ours, theirs = await here(world), there(world)
    assert (ours.title, ours.text) == (theirs.title, theirs.text)
    assert ours.outline_updated_at == theirs.updated_at
    assert await push_of(world) is None
    report = await world.pull()
    assert (report.updated, report.failed) == (0, {})
