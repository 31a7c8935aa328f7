// Addresses as people type them. Pure.

/** Adds the scheme to a URL without a scheme: `shop.example` becomes `https://shop.example`. */
export const withScheme = (url: string): string => (url === '' || /^[a-z][a-z\d+.-]*:/i.test(url) ? url : `https://${url}`)

/** Returns the host of a URL; empty if it is none. */
export const hostOf = (url: string): string => URL.parse(url)?.hostname ?? ''
