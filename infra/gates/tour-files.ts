// Counts the files that a reader opens for each tour of ARCHITECTURE.md: the files that the tour names, and the files whose code the named
// functions use. Run as a program, this file prints both lists of files. Files that only define terms, and small helpers, do not count.
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'

export interface Tour {
  title: string
  /** Files that the tour names. */
  named: string[]
  /** Other files whose code the named functions use, sorted. */
  used: string[]
  /** Functions that the tour names but the file does not have, as `<file> <name>`. */
  missing: string[]
}

/** Files that a reader need not open: contracts, bounds, ports, errors, and general helpers. */
const terms =
  /^shared\/(contracts|limits|text|time|async|net|observability|tokens)\/|^shared\/(errors|service|settings|bus\/subjects)\.ts$|\/port\.ts$/

/** Returns the tours of the page. A step begins with a file in back-ticks, then names functions or class members in back-ticks. */
export function toursOf(page: string): Tour[] {
  return [...page.matchAll(/^## (Tour [^\n]*)\n(.*?)(?=^## )/gms)].map(([, title = '', text = '']) => {
    const stops = [...text.matchAll(/`([\w/-]+\/[\w.-]+\.tsx?)`((?:(?:, | and )`[#\w]+`)*)/g)].map(
      ([, file = '', names = '']) => ({
        file,
        names: [...names.matchAll(/`([#\w]+)`/g)].map(([, name = '']) => name),
      }),
    )
    const found = stops.map(({ file, names }) => ({ file, ...usesOf(file, names) }))
    const named = [...new Set(found.map(({ file }) => file))]
    const used = [...new Set(found.flatMap(({ uses }) => uses))].filter(file => !named.includes(file) && !terms.test(file))
    return {
      title,
      named,
      used: used.sort(),
      missing: found.flatMap(({ file, missing }) => missing.map(name => `${file} ${name}`)),
    }
  })
}

/** Returns the files from which the named functions of `file` use values. Also returns the named functions that `file` does not have. */
function usesOf(file: string, functions: readonly string[]): { uses: string[]; missing: string[] } {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const origins = new Map<string, string>()
  const bodies = new Map<string, ts.Node>()
  const note = (name: ts.Node | undefined, body: ts.Node) => name && bodies.set(name.getText(), body)
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) noteImports(file, statement, origins)
    else if (ts.isFunctionDeclaration(statement)) note(statement.name, statement)
    else if (ts.isVariableStatement(statement)) for (const one of statement.declarationList.declarations) note(one.name, one)
    else if (ts.isClassDeclaration(statement)) for (const member of statement.members) note(member.name, member)
  }
  const uses = new Set<string>()
  const visit = (node: ts.Node): void => {
    const origin = ts.isIdentifier(node) ? origins.get(node.text) : undefined
    if (origin !== undefined) uses.add(origin)
    if (!ts.isTypeNode(node)) ts.forEachChild(node, visit)
  }
  for (const name of functions) if (bodies.has(name)) visit(bodies.get(name) as ts.Node)
  return { uses: [...uses], missing: functions.filter(name => !bodies.has(name)) }
}

/**
 * Stores in `origins`, for the local name of every imported value, the file of this repository from which the value comes. Ignores types.
 */
function noteImports(file: string, { importClause, moduleSpecifier }: ts.ImportDeclaration, origins: Map<string, string>): void {
  const from = (moduleSpecifier as ts.StringLiteral).text
  const bindings = importClause?.namedBindings
  if (!/^[#.]/.test(from) || importClause?.phaseModifier !== undefined || bindings === undefined || !ts.isNamedImports(bindings))
    return
  const origin = from.startsWith('#') ? from.slice(1) : normalize(join(dirname(file), from))
  for (const { name, isTypeOnly } of bindings.elements) if (!isTypeOnly) origins.set(name.text, origin)
}

if (process.argv[1] === import.meta.filename) {
  for (const { title, named, used } of toursOf(readFileSync('ARCHITECTURE.md', 'utf8')))
    console.log(`${title}: ${named.length + used.length} files\n  ${[...named, '', ...used].join('\n  ')}`)
}
