"""robots.txt: the policy that asks it, the cache, the rules of RFC 9309."""
