// Style sheets as texts. A page's script contains the text of the page's sheet, so that the browser needs no request for the sheet. The
// Content-Security-Policy allows constructed style sheets, because they are not inline HTML.
import main from '../main.page.css'

const known = new Set<string>()

function addSheet(text: string): void {
  if (known.has(text)) return
  known.add(text)
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(text)
  document.adoptedStyleSheets.push(sheet)
}

// Adds the main sheet first, because it defines the order of the layers.
addSheet(main)

/** Adds a sheet to the layer of pages. A sheet is never removed. */
export const addPageStyle = (text: string): void => addSheet(`@layer pages { ${text} }`)
