// Words of registries: types of channels, kinds of checks, and their system Templates. Only the folders of a word and its registry may write
// it: everything else reads the registry, so that one more entry needs no other file.
import { channelTypes } from '#shared/channels/registry.ts'
import { checkKinds } from '#shared/checks/registry.ts'
import { checkedKind } from '#shared/contracts/subjects/subject-kind.ts'

interface Word {
  /** Lines that write the word, or compare with its entry. */
  found: RegExp
  /** Beginnings of the paths that may. */
  homes: readonly string[]
  /** Lines in which the word means something else. */
  otherwise?: RegExp
  /** What only files have in which the word means its entry; absent: all. */
  where?: RegExp
}

const literal = (word: string): string => `(['"\`])${word}\\1`
/** Pattern of a comparison of one of these expressions with anything but null. */
const compared = (...expressions: string[]): string => {
  const any = `(${expressions.join('|')})`
  return `[=!]==?\\s*${any}(?![\\w'"])|(^|[\\s(!])${any}\\s*[=!]==?(?!=|\\s*null\\b)`
}

const ofChannels: readonly Word[] = channelTypes().map(type => ({
  found: new RegExp(`${literal(type)}|(^|[{,(])\\s*${type}\\??:|\\.${type}\\b`),
  homes: ['shared/channels/registry.ts', `shared/channels/${type}/`],
  // A claim of OpenID Connect, and the certificates above a certificate.
  otherwise: /text\('[e]mail'\)|chain: readonly PeerCertificate|, \.\.\.chain(\]|\.map\()/,
}))

/**
 * Words that also a kind of check is called by: a scheme of OpenAPI, the key of a Resource, a slug, the kind of a subject, options of other
 * kinds, members of other types, what a button on a telephone does.
 */
const otherWords =
  /type: 'http', scheme:|action: 'http'|key: 'website',|slugFallback = |checkedKind = |checkField\(\{ key: |Pick<\w+, /

const checkRegistries = ['shared/checks/registry.ts', 'services/prober/checks/registry.ts']
const ofChecks: readonly Word[] = checkKinds().flatMap(({ key, templates }) => {
  const homes = [...checkRegistries, `shared/checks/${key}/`, `services/prober/checks/${key}/`]
  const names = templates.map(template => literal(`${template.key}(@\\d+)?`))
  return [
    { found: new RegExp(literal(key)), homes, otherwise: otherWords },
    // Names of protocols are variables, too.
    { found: new RegExp(compared(`${key}(\\.key)?`)), homes, where: new RegExp(`import [^;]*from '[^']*checks/${key}/`) },
    ...names.map(name => ({ found: new RegExp(name), homes })),
  ]
})

/** Comparisons with an entry, whatever its word is. Which Template is that of websites, and which subjects have checks, is said once. */
const comparisons: readonly Word[] = [
  { found: new RegExp(compared('\\w+Channel\\.type')), homes: [] },
  { found: /((findKind|kindOfTemplate)\([^)]*\)|kindOf\([^)]*\)\.key)\s*[=!]==?(?!=|\s*null\b)/, homes: checkRegistries },
  { found: new RegExp(compared('websiteTemplate')), homes: ['shared/checks/website/'] },
  {
    found: new RegExp(
      `${compared('checkedKind', literal(checkedKind).replace('\\1', '[\'"`]'))}|[kK]ind: ['"\`]${checkedKind}['"\`]`,
    ),
    homes: ['shared/contracts/subjects/subject-kind.ts'],
  },
]

const words = [...ofChannels, ...ofChecks, ...comparisons]

/** Returns the lines that write a registered word as a literal or as a key, or that compare with an entry of a registry. */
export function strayWords({ path, text }: { path: string; text: string }): string[] {
  const strays = words.filter(({ homes, where }) => !homes.some(home => path.startsWith(home)) && where?.test(text) !== false)
  return text.split('\n').flatMap((line, index) => {
    const code = line.replace(/(^|\s)\/\/.*$/, '').replace(/^\s*\/?\*.*$/, '')
    const isStray = strays.some(({ found, otherwise }) => found.test(code) && otherwise?.test(code) !== true)
    return isStray ? [`${index + 1}: ${line.trim().slice(0, 120)}`] : []
  })
}
