// Names of rules, for places that know only their keys.

/** The built-in rule of a website has a name of its own; any other rule is shown by its key. */
export const ruleName = (key: string): string => (key === 'availability' ? 'Reachability' : key)
