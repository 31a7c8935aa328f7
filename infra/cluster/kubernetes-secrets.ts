// Secrets of a cluster as a Kubernetes manifest: one Secret for each folder of files, one for each file of settings. Pure.
import type { SecretFiles } from './secret-folder.ts'

const namespace = 'watchkeeper'

/** Returns the manifest, without top-level files other than settings, such as the authority's key. */
export function kubernetesSecrets(files: SecretFiles): string {
  const secrets = new Map<string, [key: string, value: string][]>()
  for (const [path, text] of files) {
    const [folder = '', name] = path.split('/')
    if (name !== undefined) secrets.set(folder, [...(secrets.get(folder) ?? []), [name, text]])
    else if (path.endsWith('.env')) secrets.set(path.replace(/\.env$/, ''), settingsOf(text))
  }
  return [...secrets].map(([name, entries]) => manifestOf(name, entries)).join('---\n')
}

const settingsOf = (text: string): [string, string][] =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])

const manifestOf = (name: string, entries: [string, string][]): string =>
  [
    'apiVersion: v1',
    'kind: Secret',
    `metadata: { name: ${name}, namespace: ${namespace} }`,
    'type: Opaque',
    'data:',
    ...entries.map(([key, value]) => `  ${key}: ${Buffer.from(value).toString('base64')}`),
    '',
  ].join('\n')
