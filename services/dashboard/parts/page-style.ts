// The style sheet of a page that is loaded later: it comes with the script of the page, as text, so that pages before it stay small. The page's policy
// allows it, because no style stands in HTML.

const known = new Set<string>()

/** Adds a sheet to the layer of pages, once and for good. */
export function addPageStyle(text: string): void {
  if (known.has(text)) return
  known.add(text)
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(`@layer pages { ${text} }`)
  document.adoptedStyleSheets.push(sheet)
}
