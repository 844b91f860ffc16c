"""`google`: the tools of a server for page reading with a semantic cache; objects out, exactly as specified."""

from gossamer.contracts.contract import Contract
from gossamer.contracts.read_from_page import read_from_page

CONTRACT = Contract(name="google", summary="Plain objects out, as specified.", tools=(read_from_page,))
