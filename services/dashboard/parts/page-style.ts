// Style sheets, which are texts in the scripts that need them, so they need no request. The Content-Security-Policy allows constructed
// style sheets, because they are not inline HTML.
import main from '../main.page.css'

const known = new Set<string>()

function addSheet(text: string): void {
  if (known.has(text)) return
  known.add(text)
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(text)
  document.adoptedStyleSheets.push(sheet)
}

// The first sheet names the layers in their order.
addSheet(main)

/** Adds a sheet to the layer of pages. A sheet is never removed. */
export const addPageStyle = (text: string): void => addSheet(`@layer pages { ${text} }`)
