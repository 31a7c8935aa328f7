// Bundling of the dashboard's scripts and styles, and their compression. No file is written. Runs in a process of its own
// (bundle-process.ts).
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import type { PageName } from '#shared/contracts/session/page-paths.ts'
import { type Asset, type Assets, assetFolder, type Bundle } from './assets.ts'

type Outputs = Awaited<ReturnType<typeof bundle>>['metafile']['outputs']

const sourceOf = (path: string): string => fileURLToPath(new URL(`../../dashboard/${path}`, import.meta.url))

const entryPoints = {
  app: sourceOf('main.ts'),
  'sign-in': sourceOf('sign-in/main.tsx'),
}

/** Pages that people often open first, by typing an address or from a link in a message. */
const firstPages: Readonly<Partial<Record<PageName, string>>> = {
  monitoring: 'list/list.tsx',
  monitor: 'monitor/monitor.tsx',
  incident: 'incident/incident.tsx',
}

/** Bundles the app, the sign-in page and the style sheet. Rejects with the bundler's messages if a source has an error. */
export async function bundleDashboard(): Promise<Assets> {
  // The app and the sign-in page are bundled separately. A common bundle would split their shared code into a dozen small chunks, and a
  // browser needs one request for each chunk.
  const [app, signIn, sheet] = await Promise.all([bundle('app'), bundle('sign-in'), bundleSheet()])
  const [style] = sheet.outputFiles
  if (style === undefined) throw new Error('Invariant broken: a bundle has no style sheet')
  const files = new Map<string, Asset>()
  const keep = async ({ path, contents }: { path: string; contents: Uint8Array }) =>
    files.set(pathOf(path), await assetOf(path, Buffer.from(contents)))
  await Promise.all([app, signIn, sheet].flatMap(({ outputFiles }) => outputFiles).map(keep))
  const links = { app: bundleOf(app.metafile.outputs), signIn: bundleOf(signIn.metafile.outputs), style: pathOf(style.path) }
  return { files, ...links }
}

const targets = ['chrome125', 'firefox128', 'safari17.5']

const shape = {
  bundle: true,
  format: 'esm',
  target: targets,
  minify: true,
  legalComments: 'none',
  write: false,
  logLevel: 'silent',
} satisfies BuildOptions

const bundle = (name: keyof typeof entryPoints) =>
  build({
    entryPoints: { [name]: entryPoints[name] },
    plugins: [smallSheets, ...(name === 'app' ? [oneSharedChunk] : [])],
    outdir: 'assets',
    entryNames: '[name]-[hash]',
    // A chunk's name is only a hash, without the name of its source. The first page lists all chunks, so longer names would make this page
    // larger.
    chunkNames: '[hash]',
    ...shape,
    splitting: true,
    sourcemap: 'linked',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    metafile: true,
  })

const bundleSheet = () => build({ ...shape, entryPoints: [sourceOf('main.page.css')], outdir: 'assets', entryNames: '[hash]' })

/**
 * Makes each page import all shared modules, so that the bundler puts them into one chunk. The parts of forms go into a second chunk
 * (services/dashboard/shared-chunk.ts).
 */
const oneSharedChunk: Plugin = {
  name: 'one-shared-chunk',
  setup: ({ onLoad }) => {
    const shared = JSON.stringify(sourceOf('shared-chunk.ts'))
    const forms = JSON.stringify(sourceOf('form-chunk.ts'))
    onLoad({ filter: /services[/]dashboard[/][a-z-]+[/].*[.]tsx?$/ }, async ({ path }) => {
      const isOfForms = /[/]parts[/]form[/][^/]*$/.test(path)
      if (!isOfForms && /[/]dashboard[/](data|parts|words)[/]/.test(path)) return null
      const contents = `import ${isOfForms ? forms : shared};${await readFile(path, 'utf8')}`
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' }
    })
  },
}

/**
 * Minifies the style sheets of pages. Scripts contain them as texts (services/dashboard/parts/page-style.ts), and the bundler does not
 * minify texts.
 */
const smallSheets: Plugin = {
  name: 'small-sheets',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[.]page[.]css$/ }, async ({ path }) => {
      const { outputFiles } = await build({ ...shape, entryPoints: [path], outdir: 'assets' })
      return { contents: (outputFiles[0]?.text ?? '').trimEnd(), loader: 'text' }
    })
  },
}

async function assetOf(path: string, body: Buffer): Promise<Asset> {
  const extension = path.slice(path.lastIndexOf('.') + 1)
  const type = types[extension] ?? 'application/octet-stream'
  return { type, body, brotli: extension === 'map' ? null : await compressFully(body) }
}

const compress = promisify(brotliCompress)
const compressFully = (body: Buffer): Promise<Buffer> =>
  compress(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length } })

const types: Readonly<Record<string, string>> = {
  // This content type names no charset, because browsers always read a module as UTF-8.
  js: 'text/javascript',
  css: 'text/css; charset=utf-8',
  map: 'application/json; charset=utf-8',
}

/**
 * Returns the paths that pages link. If an entry only imports the shared chunk and contains no other code, pages link the shared chunk in
 * its place.
 */
function bundleOf(outputs: Outputs): Bundle {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => /\/main[.]tsx?$/.test(entryPoint ?? ''))
  if (found === undefined) throw new Error('Invariant broken: a bundle has no entry')
  const [path, { imports, inputs }] = found
  const [shared = ''] = statics(imports)
  const isEmpty = Object.values(inputs).every(({ bytesInOutput }) => bytesInOutput === 0)
  const script = isEmpty ? shared : pathOf(path)
  const ofPage: Partial<Record<PageName, string[]>> = {}
  for (const [page, source] of Object.entries(firstPages) as [PageName, string][]) {
    const chunk = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(`services/dashboard/${source}`))
    if (chunk !== undefined) ofPage[page] = [pathOf(chunk[0]), ...statics(chunk[1].imports)].filter(one => one !== script)
  }
  return { script, ofPage }
}

const statics = (imports: Outputs[string]['imports']): string[] =>
  imports.filter(({ kind }) => kind === 'import-statement').map(one => pathOf(one.path))

const pathOf = (path: string): string => `${assetFolder}/${basename(path)}`
