// A member of an object whose keys people choose. `constructor` is such a key, and every object inherits one: only its own members count.

/** The object's own member `key`; undefined: it has none. */
export const ownMember = <T>(members: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(members, key) ? members[key] : undefined
