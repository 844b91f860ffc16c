"""robots.txt: the policy that asks and keeps it, the rules of RFC 9309."""
