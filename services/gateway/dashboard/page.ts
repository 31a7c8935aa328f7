// HTML of every page: links to a bundle, and the data of the first view. A page contains no inline script and no inline style.
import type { PageName } from '#shared/contracts/session/page-paths.ts'
import { iconAddress } from '../http/icon.ts'
import type { Assets, Bundle } from './assets.ts'

/**
 * Content-Security-Policy of every page. A page loads only from this origin, runs no inline code, and turns no text into HTML or scripts.
 */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  // The page opens an inspector in a popup and sends an incident to the popup. This header keeps the popup connected to the page.
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const

/** Returns a page of a bundle. `page` null: the bundle has a single page. `first`: data that the script reads before its first request. */
export const appPage = (bundle: Bundle, style: string, page: PageName | null, first: object): string => `${head('Watchkeeper')}
${preloaded(bundle, page)
  .map(path => `<link rel="modulepreload" href="${path}">`)
  .join('\n')}
<script type="module" src="${bundle.script}"></script>
<body>
<div id="app"></div>
<noscript><link rel="stylesheet" href="${style}"><main class="lone"><h1>Watchkeeper</h1><p>The dashboard needs JavaScript, the <a href="/api/openapi/">API</a> does not.</p></main></noscript>
<script type="application/json" id="first">${jsonInHtml(first)}</script>
`

const preloaded = ({ ofPage }: Bundle, page: PageName | null): string[] => (page === null ? [] : (ofPage[page] ?? []))

/** Returns a page without a script: a title, and a sentence that says what to do next. */
export const plainPage = ({ style }: Assets, title: string, sentence: string): string => `${head(`${title} · Watchkeeper`)}
<link rel="stylesheet" href="${style}">
<body>
<main class="lone"><h1>${title}</h1><p>${sentence}</p><p><a href="/">To the monitoring page</a></p></main>
`

const head = (title: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${iconAddress}">`

/** Returns the value as JSON without `<`, so that the JSON cannot close the HTML element around it. */
export const jsonInHtml = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c')
