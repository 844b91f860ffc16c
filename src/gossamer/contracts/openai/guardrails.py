"""Queries that a specialised server answers better, detected by weighted words and phrases kept as data."""

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gossamer.errors import BadSettings

Phrase = tuple[str, ...]
SUBJECT, OTHER = "*", "~"
"""In the place of a subject, and of another thing of its name."""

_MAX_BYTES = 262_144
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")
"""A word; where words are not set apart, a sign."""
_SIGN = re.compile(rf"[*^$]|{_WORD.pattern}")
_POSSESSIVE = re.compile("['’]s\\b")

_Text = Annotated[str, Field(min_length=1, max_length=200)]
_Texts = Annotated[tuple[_Text, ...], Field(max_length=2_000)]
_Weight = Annotated[int, Field(ge=0, le=1_000)]


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class _RuleFile(_Form):
    name: _Text
    server: _Text
    message: _Text
    literal: _Texts = ()
    subjects: Annotated[dict[_Weight, Annotated[_Texts, Field(min_length=1)]], Field(min_length=1, max_length=100)]
    asks: _Texts = ()
    about: _Texts = ()
    hints: _Texts = ()


class _RulesFile(_Form):
    threshold: Annotated[int, Field(ge=1, le=1_000)]
    ask_weight: _Weight
    about_weight: _Weight
    hint_weight: _Weight
    most_hints: _Weight
    left_out: _Texts = ()
    as_written: _Texts = ()
    about: _Texts = ()
    rules: Annotated[tuple[_RuleFile, ...], Field(min_length=1, max_length=50)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Spelling:
    """How the words of a query and of a rule are brought into one form."""

    left_out: frozenset[str]
    as_written: frozenset[str]

    def words(self, text: str, pattern: re.Pattern[str] = _WORD) -> Iterator[str]:
        """The words of a text: folded, without accents, possessives, articles and the ending of a plural."""
        apart = unicodedata.normalize("NFKD", text).casefold()
        folded = "".join(sign for sign in apart if not unicodedata.combining(sign))
        for match in pattern.finditer(_POSSESSIVE.sub("", folded)):
            word = match[0]
            if word in self.left_out:
                continue
            has_ending = len(word) > 3 and word[-1] == "s" and word[-2] != "s" and word not in self.as_written
            yield word[:-1] if has_ending else word


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """One server that is for some queries, and the words by which they are known."""

    name: str
    server: str
    message: str
    literal: tuple[str, ...]
    subjects: dict[Phrase, int]
    signs: dict[Phrase, int]
    """What is said around a subject: what asks for data of it, and, below zero, what asks about the thing itself."""
    hints: frozenset[str]
    longest_subject: int
    longest_sign: int

    @classmethod
    def of(cls, file: _RulesFile, rule: _RuleFile, spelling: Spelling) -> Self:
        """A rule of a file, in the spelling in which queries are compared."""

        def phrases(texts: Iterable[str]) -> Iterator[Phrase]:
            return (tuple(spelling.words(text, _SIGN)) for text in texts)

        subjects = {phrase: weight for weight, texts in rule.subjects.items() for phrase in phrases(texts) if phrase}
        signs = dict.fromkeys(phrases(rule.asks), file.ask_weight)
        signs |= dict.fromkeys(phrases((*file.about, *rule.about)), -file.about_weight)
        return cls(
            name=rule.name,
            server=rule.server,
            message=rule.message,
            literal=rule.literal,
            subjects=subjects,
            signs=signs,
            hints=frozenset(word for phrase in phrases(rule.hints) for word in phrase),
            longest_subject=max(map(len, subjects), default=0),
            longest_sign=max(map(len, signs), default=0),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """All rules, and what their words weigh."""

    threshold: int
    hint_weight: int
    most_hints: int
    spelling: Spelling
    each: tuple[Rule, ...]


@functools.lru_cache(maxsize=4)
def read_rules(path: Path | None = None) -> Rules:
    """The rules of a file, or ours; a file that holds none says what is wrong with it."""
    import tomllib

    try:
        file = _RulesFile.model_validate(tomllib.loads(_text(path)))
    except OSError as error:
        raise _unusable(path, f"cannot be read: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise _unusable(path, f"is no file of rules: {where}: {first['msg']}") from None
    except (ValueError, RecursionError) as error:
        raise _unusable(path, f"is not valid TOML: {error}") from error
    spelling = Spelling(left_out=frozenset(file.left_out), as_written=frozenset(file.as_written))
    return Rules(
        threshold=file.threshold,
        hint_weight=file.hint_weight,
        most_hints=file.most_hints,
        spelling=spelling,
        each=tuple(Rule.of(file, rule, spelling) for rule in file.rules),
    )


def _text(path: Path | None) -> str:
    if path is None:
        return resources.files("gossamer.contracts.openai").joinpath("guardrails.toml").read_text("utf-8")
    with path.open("rb") as file:
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise ValueError(f"it is larger than {_MAX_BYTES} bytes")
    return content.decode("utf-8-sig")


def _unusable(path: Path | None, why: str) -> BadSettings:
    return BadSettings(
        f"The rules of openai.guardrails_file, {path}, {why}.",
        hint="Correct the file, or remove the setting: the rules of the package hold then.",
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Rejection:
    """Why a query is refused: the server that suits it, and the words that showed this."""

    rule: str
    server: str
    message: str
    matched: tuple[str, ...]


def rejection(query: str, by: Literal["ours", "literal", "off"], file: Path | None = None) -> Rejection | None:
    """The rule that refuses a query, or nothing: by `ours`, by the specification's `literal` lists, or `off`.

    The rules are the package's, or those of the operator's file.
    """
    if by == "off":
        return None
    rules = read_rules(file)
    if by == "literal":
        lowered = query.lower()
        found = ((rule, [word for word in rule.literal if word in lowered]) for rule in rules.each)
        return next((_told(rule, matched) for rule, matched in found if matched), None)
    words = list(rules.spelling.words(query))
    return next((told for rule in rules.each if (told := _weighed(rule, words, rules))), None)


def _weighed(rule: Rule, words: list[str], rules: Rules) -> Rejection | None:
    """Weigh the strongest subject, what is said around it, and what else hints at it."""
    subjects, rest = _subjects(rule, words)
    if not subjects:
        return None
    hints = list(dict.fromkeys(word for word in rest if word in rule.hints))
    score = max(rule.subjects[phrase] for phrase in subjects)
    score += sum(rule.signs[sign] for sign in set(_spans(["^", *rest, "$"], rule.longest_sign)) & rule.signs.keys())
    score += rules.hint_weight * min(len(hints) + len(set(subjects)) - 1, rules.most_hints)
    if score < rules.threshold:
        return None
    return _told(rule, [*dict.fromkeys(" ".join(phrase) for phrase in subjects), *hints])


def _subjects(rule: Rule, words: list[str]) -> tuple[list[tuple[str, ...]], list[str]]:
    """The subjects in a query, the longest at every place, and its words with a mark where each subject was."""
    subjects: list[tuple[str, ...]] = []
    rest: list[str] = []
    place = 0
    while place < len(words):
        at_place = (tuple(words[place : place + size]) for size in range(rule.longest_subject, 0, -1))
        phrase = next((phrase for phrase in at_place if phrase in rule.subjects), ())
        place += len(phrase) or 1
        if not phrase:
            rest.append(words[place - 1])
        elif not rule.subjects[phrase]:
            rest.append(OTHER)
        else:
            subjects.append(phrase)
            rest += [SUBJECT] if rest[-1:] != [SUBJECT] else []
    return subjects, rest


def _spans(words: list[str], longest: int) -> Iterator[tuple[str, ...]]:
    return (tuple(words[at : at + size]) for at in range(len(words)) for size in range(1, longest + 1))


def _told(rule: Rule, matched: list[str]) -> Rejection:
    return Rejection(rule=rule.name, server=rule.server, message=rule.message, matched=tuple(matched))
