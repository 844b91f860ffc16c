"""Pages that stand before the content instead of being it, each told apart from pages that use the same words.

`signs` looks at the untouched page, `look` at what its reader sees of it, `judge` decides.
"""

from gossamer.extractors.walls.judge import PAYWALL_MESSAGE, judge
from gossamer.extractors.walls.notice import Shown, Signs, look, signs
from gossamer.extractors.walls.paid import may_be_paid
from gossamer.extractors.walls.shells import empty
from gossamer.extractors.walls.turned import turned_away_by

__all__ = ["PAYWALL_MESSAGE", "Shown", "Signs", "empty", "judge", "look", "may_be_paid", "signs", "turned_away_by"]
