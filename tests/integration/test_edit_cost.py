"""What an edit costs: sections that did not change keep their vectors."""

import pytest
from mirror_world import MovingClock
from product import opened_product

PARAGRAPH = "Stop the writers, copy the newest backup over the data folder, start one writer. "


@pytest.mark.parametrize("parts", [1, 10, 200])
@pytest.mark.parametrize("place", ["first", "middle", "last"])
async def test_an_edit_of_one_paragraph_embeds_one_or_two_sections(tmp_path, parts, place):
    texts = [f"## Part {number}\n\n{PARAGRAPH * 4}\n\n{PARAGRAPH * 3}" for number in range(parts)]
    at = {"first": 0, "middle": parts // 2, "last": parts - 1}[place]
    clock = MovingClock()
    async with opened_product(tmp_path, clock=clock) as product:
        document = product.write("Runbook", "\n\n".join(texts))
        await product.sync()
        before = len(product.embedder.embedded)
        texts[at] = texts[at].replace("newest", "oldest", 1)
        product.sandbox.documents.edit(document, text="\n\n".join(texts))
        clock.advance(minutes=10)
        await product.sync()
        embedded = product.embedder.embedded[before:]

    assert 1 <= len(embedded) <= 2
    assert any("oldest" in text for text in embedded)
