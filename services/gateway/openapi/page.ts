// Page that shows the OpenAPI documents. The page loads everything from this server: its Content-Security-Policy forbids other sources.
import { workspaceStandIn } from '../website/example.ts'

/** `'unsafe-inline'` applies only to styles: Swagger UI writes some styles inline. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export type DocumentName = 'v1' | 'v2' | 'v3' | 'session'

const titles: Readonly<Record<DocumentName, string>> = {
  v3: 'Generation 3',
  v2: 'Generation 2',
  v1: 'Generation 1',
  session: 'Session API',
}

/** Returns the page. `names`: the served documents. */
export function page(names: readonly DocumentName[]): string {
  const shown = (Object.keys(titles) as DocumentName[]).filter(name => names.includes(name))
  const views = shown.map(name => `<a href="?document=${name}">${titles[name]}</a>`).join(' · ')
  const files = shown.map(name => `<a href="${name}.json">${name}.json</a>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Watchkeeper API</title>
<link rel="icon" type="image/svg+xml" href="icon.svg">
<link rel="stylesheet" href="swagger-ui.css">
</head>
<body>
<nav class="swagger-ui"><div class="wrapper">
${views} · ${files.join(' · ')}
<p>Put your key in at Authorize. Then examples work as they stand: they tell one story from top to bottom, and this page puts your first
workspace in the place of <code>WORKSPACE_ID</code>. For other words in capitals, copy the id that an answer gave you.</p>
</div></nav>
<main id="document"></main>
<noscript>The documents are ${files.join(', ')}.</noscript>
<script src="swagger-ui-bundle.js"></script>
<script src="start.js"></script>
</body>
</html>
`
}

/** Returns the start script of the page. If the browser requests no document, the page shows the first of `names`. */
export const startScript = (
  names: readonly DocumentName[],
): string => `const wanted = new URLSearchParams(location.search).get('document')
const standIn = '${workspaceStandIn}'
async function withWorkspace(request) {
  const isNeeded = request.url.includes(standIn) || (typeof request.body === 'string' && request.body.includes(standIn))
  const { Authorization } = request.headers ?? {}
  if (!isNeeded || !Authorization) return request
  const answer = await fetch('/api/v3/workspaces', { headers: { Authorization } })
  const first = (await answer.json()).result?.[0]?.id
  if (first === undefined) return request
  request.url = request.url.replaceAll(standIn, encodeURIComponent(first))
  if (typeof request.body === 'string') request.body = request.body.replaceAll(standIn, first)
  return request
}
SwaggerUIBundle({
  url: (${JSON.stringify(names)}.includes(wanted) ? wanted : '${names[0]}') + '.json',
  dom_id: '#document',
  deepLinking: true,
  validatorUrl: null,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  requestInterceptor: withWorkspace,
})
`
