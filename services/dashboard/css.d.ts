// Types of style sheets. A style sheet is imported for its effect: the bundler puts it beside the script. The sheet of a page that loads
// later is imported as text.
declare module '*.page.css' {
  const text: string
  export default text
}
declare module '*.css'
