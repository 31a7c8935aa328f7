// Type of style sheets: a script imports a sheet as text.
declare module '*.page.css' {
  const text: string
  export default text
}
