"""Random operations on a state, for comparing it with the memory state."""

from hypothesis import strategies as st

from gossamer.ports import State

KEYS = ("a", "b")
_KINDS = (
    *("put", "add", "take", "window", "swap", "set if absent", "drop"),
    *("lease", "release", "put under", "put under a former", "wait"),
)
OPERATIONS = st.tuples(st.sampled_from(_KINDS), st.sampled_from(KEYS), st.integers(0, 9))

Operation = tuple[str, str, int]


async def apply(state: State, operation: Operation, grants: list[int]) -> object:
    """Do what `operation` says and return what the state answers; `grants` gathers the numbers of its leases.

    Numbers differ between states and only their order is promised, so what is returned is whether a lease was got.
    """
    kind, key, number = operation
    value, ttl_s = str(number % 3), 5 + number
    match kind:
        case "put":
            return await state.put(key, value, ttl_s=ttl_s)
        case "add":
            return await state.add(key, number - 3, ttl_s=ttl_s)
        case "take":
            return await state.take(key, number - 3, cap=9, ttl_s=ttl_s)
        case "window":
            return await state.window(key, number - 3, cap=9, window_s=ttl_s)
        case "swap":
            return await state.swap(key, value, str(number), ttl_s=ttl_s)
        case "set if absent":
            return await state.swap(key, None, value, ttl_s=ttl_s)
        case "drop":
            return await state.swap(key, value, None, ttl_s=ttl_s)
        case "lease":
            return await _lease(state, key, value, ttl_s, grants)
        case "release":
            return await state.release(key, value)
        case "put under" | "put under a former":
            back = 1 if kind == "put under" else 2
            grant = grants[-back] if len(grants) >= back else 0
            return await state.put_under(key, grant, "b", value, ttl_s=ttl_s)
        case _:
            return None


async def _lease(state: State, name: str, holder: str, ttl_s: float, grants: list[int]) -> bool:
    grant = await state.lease(name, holder, ttl_s=ttl_s)
    if grant and grant not in grants:
        assert grant > max(grants, default=0)
        grants.append(grant)
    return grant > 0
