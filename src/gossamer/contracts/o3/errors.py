"""The errors of `chatgpt_o3_search`: errors of the protocol with the codes of its specification, in two languages."""

import re
from collections.abc import Mapping
from math import ceil
from typing import Any

from gossamer.contracts.contract import Fault, Reply
from gossamer.errors import (
    BadSettings,
    BrokenReply,
    Denied,
    GossamerError,
    InvalidArgument,
    NotFound,
    Outcome,
    QuotaExhausted,
    RateLimited,
    TimedOut,
    UnexpectedReply,
    Unreachable,
    UpstreamError,
    UsageError,
)
from gossamer.steps.text.untrusted_markers import escape

AUTHENTICATION = (-32001, "Authentication Error")
SEARCH = (-32002, "Search Error")
RATE_LIMIT = (-32003, "Rate Limit Exceeded")
INTERNAL = (-32603, "Internal Error")
ARGUMENTS = (-32602, "Invalid params")

_UNEXPECTED = "An unexpected error occurred"
_LATE = "Try again; the operator can raise o3.timeout_s."
_BY_REASON = {
    "no_key": "OPENAI_API_KEY環境変数が設定されていません。OpenAI APIキーを設定してください。",
    "odd_key": "無効なAPIキー形式です。「sk-」で始まるOpenAI APIキーを設定してください。",
    "left_alone": "OpenAIへのリクエストを一時的に控えています。{wait}もう一度お試しください。",
    "quota": "OpenAIの利用枠を使い切りました。プランと請求を確認してください。",
    "refusal": "OpenAIがこの検索への回答を拒否しました。クエリを言い換えてください。",
    "no_search": "OpenAIがウェブ検索を行わずに回答したため、結果として使えません。クエリを具体的にしてください。",
    "no_text": "OpenAIは検索しましたが、何も書きませんでした。もう一度お試しください。",
    "incomplete": "OpenAIの回答が途中で終わりました。もう一度お試しください。",
    "failed": "OpenAIが回答の生成に失敗しました。もう一度お試しください。",
    "search_failed": "OpenAIのウェブ検索が失敗しました。もう一度お試しください。",
    "model": "このAPIキーで使えるモデルがありません。o3.model を確認してください。",
}
_BY_KIND: tuple[tuple[type[GossamerError], str], ...] = (
    (RateLimited, "リクエストが多すぎます。{wait}もう一度お試しください。"),
    (Denied, "OpenAIがAPIキーまたはリクエストを拒否しました。APIキーを確認してください。"),
    (TimedOut, "検索が制限時間内に終わりませんでした。o3.timeout_s で変更できます。もう一度お試しください。"),
    (Unreachable, "OpenAIに接続できないか、OpenAI側でエラーが発生しました。しばらくしてからお試しください。"),
    (UnexpectedReply, "OpenAIの応答の形式が想定と異なります。"),
    (BrokenReply, "OpenAIとの通信が途中で失敗しました。もう一度お試しください。"),
    (NotFound, "OpenAIのアドレスが見つかりません。base_url を確認してください。"),
    (InvalidArgument, "OpenAIがこのリクエストを受け付けませんでした。クエリを言い換えてください。"),
    (UpstreamError, "検索の実行に失敗しました。"),
    (BadSettings, "設定に誤りがあります: {said}"),
)
_ARGUMENTS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        (r"(\w+) is missing\.", r"\1 は必須です。"),
        (r"(\w+) must not be empty\.", r"\1 を空にすることはできません。"),
        (r"(\w+) must be text\.", r"\1 は文字列で指定してください。"),
        (r"(\w+) must be a whole number\.", r"\1 は整数で指定してください。"),
        (r"(\w+) must be valid Unicode text\.", r"\1 は正しい Unicode 文字列で指定してください。"),
        (r"(\w+) must be at least (\d+), not ([^ ]+)\.", r"\1 は \2 以上で指定してください(指定値: \3)。"),
        (r"(\w+) must be at most (\d+), not ([^ ]+)\.", r"\1 は \2 以下で指定してください(指定値: \3)。"),
        (r"(\w+) must have at most (\d+) characters, not (\d+)\.", r"\1 は \2 文字以内で指定してください(\3 文字)。"),
        (r"(\w+) must be one of ([^.]+)\.", r"\1 は \2 のいずれかを指定してください。"),
        (r"(\w+) does not have the form ([^ ]+)\.", r"\1 の形式が正しくありません(\2)。"),
        (r"There is no argument named ('[^']*')\.", r"\1 という引数はありません。"),
    )
)


def fault_of(error: GossamerError, _asked: Mapping[str, Any]) -> Reply[None]:
    """A failure as an error of the protocol."""
    code, message = _code(error)
    is_paced = code == RATE_LIMIT[0] and not isinstance(error, QuotaExhausted)
    wait_s = error.retry_after_s if is_paced else None
    retry_after = None if wait_s is None else ceil(wait_s)
    english = _in_english(error)
    return Reply(
        text=f"{error.outcome.value}: {english}",
        data=None,
        outcome=error.outcome,
        fault=Fault(
            code=code,
            message=message,
            details={"en": english, "ja": escape(_in_japanese(error, code, retry_after))},
            retry_after=retry_after,
        ),
    )


def _code(error: GossamerError) -> tuple[int, str]:
    reason, is_foreign = error.context.get("reason"), "provider" in error.context
    if isinstance(error, RateLimited | QuotaExhausted):
        return RATE_LIMIT
    if isinstance(error, Denied) and reason != "refusal":
        return AUTHENTICATION
    if isinstance(error, UpstreamError) or is_foreign:
        return SEARCH
    return ARGUMENTS if isinstance(error, UsageError) and not isinstance(error, BadSettings) else INTERNAL


def _in_english(error: GossamerError) -> str:
    if type(error) is GossamerError:
        return _UNEXPECTED
    is_ours = isinstance(error, TimedOut) and "provider" not in error.context
    return escape(f"{error.message} {_LATE}" if is_ours else str(error))


def _in_japanese(error: GossamerError, code: int, retry_after: int | None) -> str:
    if code == ARGUMENTS[0]:
        return _argument(error.message)
    reason = "quota" if error.outcome is Outcome.QUOTA else str(error.context.get("reason", ""))
    wait = f"{retry_after} 秒後に" if retry_after is not None else "しばらくしてから"
    said = next((said for kind, said in _BY_KIND if isinstance(error, kind)), "予期しないエラーが発生しました。")
    is_of_the_key = reason == "left_alone" and isinstance(error, Denied)
    return (said if is_of_the_key else _BY_REASON.get(reason, said)).format(wait=wait, said=error.message)


def _argument(message: str) -> str:
    """Our own sentences on arguments in Japanese; one that is not known stays as it is, after a word on it."""
    for pattern, said in _ARGUMENTS:
        if match := pattern.fullmatch(message):
            return match.expand(said)
    return f"引数が正しくありません: {message}"
