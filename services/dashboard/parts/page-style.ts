// Style sheets, which come as text with the script that needs them: no request of their own, and pages before them stay small. The page's policy
// allows it, because no style stands in HTML.
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

/** Adds a sheet to the layer of pages, once and for good. */
export const addPageStyle = (text: string): void => addSheet(`@layer pages { ${text} }`)
