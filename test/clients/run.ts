// npm run clients: clients of strangers against generation 3. Generates a client by openapi-python-client, which must warn of nothing, and
// runs story.py with it. Then schemathesis sends the examples of the document and compares every answer with the document. Needs Python
// 3.11 with pip and the package index, so it is no test. Exit code 1: there are findings.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { productVersion } from '../../infra/cli/product-version.ts'
import { type FuzzedInstallation, startInstallation } from '../fuzz/installation.ts'
import { pythonPackage } from '../support/python-package.ts'

interface Stage {
  installation: FuzzedInstallation
  workspace: string
  /** Folder of the files of this run. */
  folder: string
}

const absent = { skipped: 'clients of strangers', remedy: 'install Python 3.11 or later with pip, and let pip reach its index' }
const generator = { name: 'openapi-python-client', version: '0.29.1', ...absent }
const runner = { name: 'schemathesis', version: '4.32.5', ...absent }

/** Returns whether the generated client has every operation, and its story ends well. */
async function isGeneratedWhole({ installation: { url, key }, workspace, folder }: Stage, packages: string): Promise<boolean> {
  const settings = join(folder, 'generator.json')
  // The generator would format the client by a program that is not installed.
  await writeFile(settings, '{"post_hooks": []}')
  const options = ['--output-path', join(folder, 'generated'), '--meta', 'none', '--config', settings, '--fail-on-warning']
  const isWhole = await python(
    [packages],
    ['-m', 'openapi_python_client', 'generate', '--url', documentAt(url), ...options],
    folder,
  )
  return isWhole && python([packages, folder], [join(import.meta.dirname, 'story.py'), url, key, workspace], folder)
}

/** Returns whether every answer to an example is as documented. Ids in capitals name nothing: their answers are documented refusals. */
async function areExamplesRight({ installation: { url, key }, workspace, folder }: Stage, packages: string): Promise<boolean> {
  const document = join(folder, 'v3.json')
  const text = await (await fetch(documentAt(url))).text()
  await writeFile(document, text.replaceAll('WORKSPACE_ID', workspace))
  const options = ['--phases', 'examples', '--url', url, '--header', `Authorization: Bearer ${key}`]
  const output = ['--checks', checks.join(','), '--continue-on-failure', '--warnings', 'off', '--no-color']
  return python([packages], ['-m', 'schemathesis.cli', 'run', document, ...options, ...output], folder)
}

const checks = ['not_a_server_error', 'status_code_conformance', 'content_type_conformance', 'response_schema_conformance']

const documentAt = (url: string): string => `${url}/api/openapi/v3.json`

/** Returns whether the program ends with exit code 0. */
async function python(paths: readonly string[], args: readonly string[], cwd: string): Promise<boolean> {
  const environment = { ...process.env, PYTHONPATH: paths.join(delimiter), PYTHONDONTWRITEBYTECODE: '1' }
  const [code] = await once(spawn('python3', args, { cwd, stdio: ['ignore', 'inherit', 'inherit'], env: environment }), 'exit')
  return code === 0
}

const packages = [await pythonPackage(generator), await pythonPackage(runner)]
const [ofGenerator, ofRunner] = packages
if (!ofGenerator || !ofRunner) process.exit(1)
const installation = await startInstallation(productVersion)
const folder = await mkdtemp(join(tmpdir(), 'watchkeeper-clients-'))
try {
  const headers = { authorization: `Bearer ${installation.key}` }
  const { result } = (await (await fetch(`${installation.url}/api/v3/workspaces`, { headers })).json()) as {
    result: { id: string }[]
  }
  const stage = { installation, folder, workspace: result[0]?.id ?? '' }
  const isWhole = await isGeneratedWhole(stage, ofGenerator)
  const isRight = await areExamplesRight(stage, ofRunner)
  process.exitCode = isWhole && isRight ? 0 : 1
} finally {
  await installation.stop()
  await rm(folder, { recursive: true, force: true })
}
