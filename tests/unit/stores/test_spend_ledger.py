"""What an amount of money can be."""

import pytest

from gossamer.errors import InvalidArgument
from gossamer.stores.shared.spend_ledger import ALL, check_amount, lost_day


@pytest.mark.parametrize("amount", [0, 1, ALL, lost_day(0.0).amount])
def test_amounts_that_a_ledger_takes(amount: int) -> None:
    check_amount(amount)


@pytest.mark.parametrize("amount", [-1, ALL + 1, 2**63, 10**30])
def test_amounts_that_would_make_room_or_break_a_database_are_refused(amount: int) -> None:
    with pytest.raises(InvalidArgument):
        check_amount(0, amount)
