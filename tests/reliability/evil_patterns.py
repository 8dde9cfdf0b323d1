"""Fifty regular expressions that make a backtracking engine take for ever, or a careful one a great deal of memory."""

PATTERNS = (
    # nested repetitions
    "(a+)+$", "(a*)*$", "(a+)*b", "(a*)+b", "((a+)+)+$", "(a+)+(b+)+$", "([a-z]+)+$", "([a-zA-Z]+)*$", "(.+)+$", "(.*)*x",
    "(.*.*)+x", "(\\w+\\s?)*$", "(\\w*)*!", "(\\S+)+ ", "((ab)*)*c", "(a+a+)+b", "(a?a?)*b", "(?:(?:a+)+)+$",
    # alternatives that overlap
    "(a|a)*b", "(a|aa)+$", "(a|a?)+$", "(a|ab|abc)*d", "(x+x+)+y", "(a|b|ab)*c", "([ab]|a)*c", "(\\d|\\w)*!", "(.|a)*b",
    # repetitions beside each other
    "a*a*a*a*a*a*b", ".*.*.*.*.*x", ".*a.*a.*a.*a.*b", "(.*a){12}", "(.*,){11}P", "\\s*\\s*\\s*x", "[a-z]*[a-z]*[a-z]*1",
    "a?a?a?a?a?a?a?a?aaaaaaaab",
    # counted repetitions
    "(a{1,30}){1,30}", "(a{0,100}){0,100}b", "a{1000}{1000}", "(a{50}){50}b", "((a{1,9}){1,9}){1,9}b", "[a-z]{500}[0-9]", "(aa?){400}b",
    # as they stand in real programs
    "^(([a-z])+.)+[A-Z]([a-z])+$", "^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@)$", "<([^>]+)+>",
    "(.*)\\s+(.*)\\s+(.*)=", "([^=]+=[^&]+&?)+#",
    "^(\\d+)*$", "(?i)(price|preis|prix)*\\s*:+$", "([0-9]+[.,]?)+€",
    # what some engines have and others refuse
    "(a)\\1+$", "(?=a+)+b", "(?<!a+)b",
)  # fmt: skip
