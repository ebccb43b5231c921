import pytest

from personal_context.domain.errors import InvalidInput
from personal_context.domain.models import CollectionId, SyncState
from personal_context.sync.agreeing import agreed, as_names

HANDBOOK = "7cfcdc82-b04b-4abb-b43a-e4ddff3f10ec"
JOURNAL = "826f4ada-7db1-475b-8d99-1c9cc6a6ae2f"
STATES = [
    SyncState(CollectionId(HANDBOOK), "Handbook", pending_removals=15),
    SyncState(CollectionId(JOURNAL), "A=1", pending_removals=20),
]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ([], {}),
        (["Handbook"], {HANDBOOK: 15}),
        (["handbook=12"], {HANDBOOK: 12}),
        ([f"{HANDBOOK}=12"], {HANDBOOK: 12}),
        (["*"], {HANDBOOK: 15, JOURNAL: 20}),
        (["*=16"], {HANDBOOK: 16, JOURNAL: 16}),
        (["A=1"], {JOURNAL: 20}),  # its name, and no number
        (["A=1=7"], {JOURNAL: 7}),
    ],
)
def test_a_yes_has_a_number(names, found):
    assert agreed(names, STATES) == found
    assert agreed(as_names(agreed(names, STATES)), STATES) == found


@pytest.mark.parametrize("name", ["Nowhere", "Nowhere=5", "Handbook=many", "Handbook=", "=5", ""])
def test_who_is_not_known_can_not_be_agreed_to(name):
    with pytest.raises(InvalidInput):
        agreed([name], STATES)
