// A real installation, and commands of it, whose processes load modules of a test first, such as one that registers a channel.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import { type Ended, runProgram, temporaryFolder } from '../../infra/run-program.ts'
import { type Program, startProgram } from '../../integration/system.ts'

// biome-ignore lint/suspicious/noExplicitAny: results of many kinds of requests
type Answered = { status: number; result: any; error: any; text: string }

export interface PreloadedProgram {
  program: Program
  /** Environment variables by which other processes load the modules, too. */
  preload: { NODE_OPTIONS: string }
  /** A folder of the test, with the data folder in it. */
  folder: string
  url: string
  /** Key of the owner. */
  key: string
  /** Id of the first workspace. */
  workspace: string
  /** Sends a request below `/api`, with the key of the owner unless another one is given. */
  api(method: string, path: string, body?: object, as?: string): Promise<Answered>
  /** `input`: standard input. */
  command(words: string[], environment?: Record<string, string>, input?: string): Promise<Ended>
}

/** `modules`: paths of the modules that each process loads first. `settings`: further ones of the program. */
export async function startPreloaded(
  t: Test,
  modules: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<PreloadedProgram> {
  const preload = { NODE_OPTIONS: modules.map(path => `--import=${pathToFileURL(path).href}`).join(' ') }
  const folder = temporaryFolder(t)
  const [data, home] = [join(folder, 'data'), join(folder, 'home')]
  mkdirSync(home)
  const program = await startProgram({ DATA_DIR: data, LOG_LEVEL: 'debug', ...preload, ...settings })
  t.teardown(() => program.stop())
  const { url } = JSON.parse(readFileSync(join(data, 'api.json'), 'utf8')) as { url: string }
  const key = readFileSync(join(data, 'first-key'), 'utf8').trim()
  const api: PreloadedProgram['api'] = async (method, path, body, as = key) => {
    const headers = { authorization: `Bearer ${as}`, ...(body && { 'content-type': 'application/json' }) }
    const response = await fetch(`${url}/api${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await response.text()
    return { status: response.status, text, ...JSON.parse(text) }
  }
  const [{ id: workspace }] = (await api('GET', '/v3/workspaces')).result
  const command: PreloadedProgram['command'] = (words, environment = {}, input = undefined) =>
    runProgram(t, words, { DATA_DIR: data, HOME: home, ...preload, ...environment }, input).ended
  return { program, preload, folder, url, key, workspace, api, command }
}
