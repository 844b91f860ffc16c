"""`verify`: whether pages support a claim; beside `core`, for those who ask for it."""

from gossamer.contracts.contract import Contract, Tool


def _tools() -> tuple[Tool, ...]:
    from gossamer.contracts.verify.web_verify import web_verify

    return (web_verify,)


CONTRACT = Contract(
    name="verify",
    summary="Whether pages support a claim, told without a model; opt-in beside `core`.",
    names=("web_verify",),
    load=_tools,
    is_opt_in=True,
)
