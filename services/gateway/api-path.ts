// Which requests belong to /api before any route was found: what never gets that far is refused in the words of its place.

/** Of a request's target, be it a path or a whole address. */
export const isApiPath = (target: string): boolean => /^(?:https?:\/\/[^/?#]*)?\/api(?:[/?#]|$)/.test(target)
