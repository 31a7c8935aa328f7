// Words of registries, such as the types of channels. Only the folders of a word and its registry may write it: everything else reads the
// registry, so that one more entry needs no other file.
import { channelTypes } from '#shared/channels/registry.ts'

interface Registry {
  words: readonly string[]
  file: string
  /** Folders that have a folder for each word. */
  folders: readonly string[]
}

const registries: readonly Registry[] = [
  { words: channelTypes(), file: 'shared/channels/registry.ts', folders: ['shared/channels'] },
]

/** Returns the lines that write a registered word as a literal or as a key, or that compare with an entry of a registry. */
export function strayWords({ path, text }: { path: string; text: string }): string[] {
  const found = registries.flatMap(({ words, file, folders }) =>
    path === file ? [] : words.filter(word => !folders.some(folder => path.startsWith(`${folder}/${word}/`))).map(patternOf),
  )
  return text.split('\n').flatMap((line, index) => {
    const code = line.replace(/(^|\s)\/\/.*$/, '').replace(/^\s*\/?\*.*$/, '')
    return [...found, comparison].some(pattern => pattern.test(code)) ? [`${index + 1}: ${line.trim().slice(0, 120)}`] : []
  })
}

const patternOf = (word: string) => new RegExp(`(['"\`])${word}\\1|(^|[{,(])\\s*${word}\\??:|\\.${word}\\b`)
const comparison = /[=!]==?\s*\w+Channel\.type\b|\w+Channel\.type\s*[=!]==?/
