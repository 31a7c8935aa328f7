// The page on which people browse the documents. Everything on it comes from this server: its policy forbids anything else.
import { workspacePlaceholder } from '../website/example.ts'

/** `'unsafe-inline'` is for styles alone: Swagger UI writes some beside its elements. */
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

export const page = `<!doctype html>
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
<a href="?document=v3">Generation 3</a> · <a href="?document=v2">Generation 2</a> · <a href="?document=v1">Generation 1</a> ·
<a href="?document=session">Session API</a> · <a href="v3.json">v3.json</a> · <a href="v2.json">v2.json</a> · <a href="v1.json">v1.json</a> ·
<a href="session.json">session.json</a>
<p>Put your key in at Authorize. Then examples work as they stand: they tell one story from top to bottom, and this page puts your first
workspace in the place of <code>WORKSPACE_ID</code>. For other words in capitals, copy the id that an answer gave you.</p>
</div></nav>
<main id="document"></main>
<noscript>The documents are <a href="v3.json">v3.json</a>, <a href="v2.json">v2.json</a>, <a href="v1.json">v1.json</a> and <a href="session.json">session.json</a>.</noscript>
<script src="swagger-ui-bundle.js"></script>
<script src="start.js"></script>
</body>
</html>
`

export const startScript = `const wanted = new URLSearchParams(location.search).get('document')
const placeholder = '${workspacePlaceholder}'
async function withWorkspace(request) {
  const isNeeded = request.url.includes(placeholder) || (typeof request.body === 'string' && request.body.includes(placeholder))
  const { Authorization } = request.headers ?? {}
  if (!isNeeded || !Authorization) return request
  const answer = await fetch('/api/v2/workspaces', { headers: { Authorization } })
  const first = (await answer.json()).result?.[0]?.id
  if (first === undefined) return request
  request.url = request.url.replaceAll(placeholder, encodeURIComponent(first))
  if (typeof request.body === 'string') request.body = request.body.replaceAll(placeholder, first)
  return request
}
SwaggerUIBundle({
  url: ['v1', 'v3', 'session'].includes(wanted) ? wanted + '.json' : 'v2.json',
  dom_id: '#document',
  deepLinking: true,
  validatorUrl: null,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  requestInterceptor: withWorkspace,
})
`
