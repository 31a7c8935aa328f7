// Paths of generation 3. Imports nothing, because a browser loads it with the plan of configuration files.

/** Returns a path relative to `/api/v3` with encoded values, so that a name with a slash stays one segment. */
export const apiPath = (texts: TemplateStringsArray, ...names: readonly string[]): string =>
  String.raw({ raw: texts }, ...names.map(encodeURIComponent))
