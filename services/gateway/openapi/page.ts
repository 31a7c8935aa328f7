// The page on which people browse the documents. Everything on it comes from this server: its policy forbids anything else.

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
<link rel="stylesheet" href="swagger-ui.css">
</head>
<body>
<nav class="swagger-ui"><div class="wrapper">
<a href="?generation=v2">Generation 2</a> · <a href="?generation=v1">Generation 1</a> ·
<a href="v2.json">v2.json</a> · <a href="v1.json">v1.json</a>
</div></nav>
<main id="document"></main>
<noscript>The documents are <a href="v2.json">v2.json</a> and <a href="v1.json">v1.json</a>.</noscript>
<script src="swagger-ui-bundle.js"></script>
<script src="start.js"></script>
</body>
</html>
`

export const startScript = `const wanted = new URLSearchParams(location.search).get('generation')
SwaggerUIBundle({
  url: wanted === 'v1' ? 'v1.json' : 'v2.json',
  dom_id: '#document',
  deepLinking: true,
  validatorUrl: null,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
})
`
