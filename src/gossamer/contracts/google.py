"""`google`: the tools of a server for searching with Google and reading pages; objects out, exactly as specified."""

from gossamer.contracts.contract import Contract
from gossamer.contracts.google_search import google_search
from gossamer.contracts.read_from_page import read_from_page

CONTRACT = Contract(name="google", summary="Plain objects out, as specified.", tools=(google_search, read_from_page))
