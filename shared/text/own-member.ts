// Access to members of an object whose keys people choose. Every object inherits members such as `constructor`, which are not members that
// people chose.

/** Returns the object's own member `key`; undefined: it has none. */
export const ownMember = <T>(members: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(members, key) ? members[key] : undefined
