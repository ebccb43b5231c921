"""What a newcomer sees: the demo's wiki, mirrored and searched with the model on board."""

import contextlib

import httpx
from mirror_world import WIKI
from product import product_settings

from personal_context.runtime import build_runtime
from personal_context.upstream.sandbox.app import create_sandbox
from personal_context.upstream.sandbox.folder import load_folder, sample_wiki

QUESTIONS = {
    "how do we get the database back after a crash": (
        "Recover PostgreSQL from a backup after data loss"
    ),
    "who do I wake up when everything is down at night": "On-call",
    "customers were charged twice for electricity": "INC-44: Shore power charged twice",
    "can I work from abroad for a month": "Remote work and offices",
    "what happens if a visitor doesn't show up": "When a guest cancels or does not come",
    "clock change broke arrivals": "INC-52: Arrivals shifted by an hour",
    "my wife is pregnant": "Parental leave",
    "how do I undo a bad release": "Deploy and roll back",
    "why don't we run containers in a cluster": "Packages and systemd instead of Kubernetes",
    "disk is running out of space on the main server": "The WAL volume fills up",
    "electricity posts stopped sending data": "Pedestals are silent",
    "max_slot_wal_keep_size": "The WAL volume fills up",
    "wie viele Tage darf ich im Ausland arbeiten": "Betriebsvereinbarung mobile Arbeit",
    "certificat médical": "Télétravail et bureau de La Rochelle",
    "usuario bloqueado": "Un puerto no puede entrar en Berthbook",
    "сколько дней отпуска": "Памятка новому сотруднику поддержки в Алматы",
    "台風のときの取り消し料": "瀬戸内パートナー打ち合わせメモ",
    "盐雾腐蚀": "宁波供应商会议纪要：带签名的电表",  # noqa: RUF001 - as it is written in Chinese
}


@contextlib.asynccontextmanager
async def mirrored(folder):
    settings = product_settings(folder, prompts_collection_id="Agent prompts")
    async with create_sandbox(base_url=WIKI, rate_limits=False) as sandbox:
        load_folder(sandbox, sample_wiki())
        transport = httpx.ASGITransport(sandbox.app)
        async with build_runtime(settings, transport=transport) as runtime:
            await runtime.sync.sync_now()
            yield runtime


async def test_a_question_in_other_words_finds_the_page_that_answers_it(tmp_path):
    async with mirrored(tmp_path) as runtime:
        await runtime.embed_backlog()
        found = {}
        for question in QUESTIONS:
            answer = await runtime.search.search(question, limit=1)
            assert answer.mode == "hybrid", answer.degraded
            found[question] = answer.results[0].content.title

    assert found == QUESTIONS


async def test_every_link_and_prompt_of_the_wiki_survives_the_mirror(tmp_path):
    async with mirrored(tmp_path) as runtime:
        states = await runtime.store.sync_states()
        contents = [
            content
            for state in states
            for content in await runtime.store.in_collection(state.collection_id)
        ]
        prompts = await runtime.prompts.load()

    assert {state.error_message for state in states} == {None}
    assert len(contents) == len(list(sample_wiki().rglob("*.md")))
    assert not [content.title for content in contents if ".md)" in content.text]
    linked = {url_id for content in contents for url_id in _linked(content.text)}
    assert len(linked) > 50
    assert linked <= {content.url_id for content in contents}
    assert prompts.count == 6
    assert prompts.text.index("Code review") < prompts.text.index("Release notes")


def _linked(text):
    """Return the urlIds that a text links to, e.g. the end of `/doc/on-call-hY7bQ2mN0p`."""
    return [part.partition(")")[0][-10:] for part in text.split("](/doc/")[1:]]
