// Page docs/channels.md, generated from the registered channels. Run as a program, this file writes the page. A test checks that the page is
// up to date.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { boundsOf } from '#shared/channels/fields.ts'
import type { Channel, ChannelField } from '#shared/channels/port.ts'
import { channels } from '#shared/channels/registry.ts'
import { maxAfterMinutes } from '#shared/contracts/resources/template.ts'
import { second } from '#shared/limits/limits.ts'

const head = `# Channels

A destination is of one of these types. In the dashboard it is made under *Settings, Destinations*; on the command line by
\`./watchkeeper destination create <name> --type <type> --set <setting>=<value>\`, where a secret is \`<setting>=env:<VARIABLE>\`. *Send a test*
says what the far end answered. This page is generated from the declared settings (\`npm run docs\`); \`./watchkeeper destination types\` and
\`GET /api/v3/channels\` list them, too. [Notifications](notifications.md) says what messages say and when they are sent.

A secret is never shown again. A changed secret or address helps the messages that wait.
`

export const channelsPage = (some: readonly Channel[] = channels): string => [head, ...some.map(section)].join('\n')

const section = ({ type, name, help, answers, fields, spacing }: Channel): string =>
  `## ${name}

The type \`${type}\`. ${help}${answers === 'accepted' ? ' A success says only that the message was taken.' : ''}${spacing === undefined ? '' : spacingWords(spacing)}

${['| setting | value | default | where it comes from |', '|---|---|---|---|', ...fields.map(row), ''].join('\n')}`

/** Spacing that depends on settings is described by v3 10.18 and the channel's own help. */
function spacingWords(spacing: NonNullable<Channel['spacing']>): string {
  if (typeof spacing === 'function') return ''
  const words = spacing.map(({ messages, inMs, inTurn }) => {
    const time = inMs === second ? 'a second' : `${inMs / second} s`
    return inTurn
      ? `${messages} at once, then one each ${time}`
      : `${messages} ${messages === 1 ? 'message' : 'messages'} ${time}`
  })
  return ` At most ${words.join(' and ')}.`
}

function row(field: ChannelField): string {
  const { key, label, help, mark, isRequired, default: usual } = field
  const unset = isRequired ? 'required' : 'none'
  const words = [`${label}.`, help, mark === 'secret' ? 'A secret.' : ''].filter(Boolean).join(' ')
  return `| \`${key}\` | ${cell(valueWords(field))} | ${usual === undefined ? unset : `\`${cell(String(usual))}\``} | ${cell(words)} |`
}

function valueWords(field: ChannelField): string {
  const { type, options = [], must } = field
  const { min, max } = boundsOf(field)
  if (type === 'enum') return options.join(', ')
  if (type === 'boolean') return 'true or false'
  if (type === 'integer')
    return max === undefined ? `a whole number${min === undefined ? '' : ` from ${min}`}` : `${min} to ${max}`
  if (type === 'url') return 'a URL'
  if (type === 'string_list') return `at most ${max} texts`
  if (type === 'steps') return `${min} to ${max} names, each with 0 to ${maxAfterMinutes} minutes: \`On call,Boss:10\``
  return must === undefined ? `at most ${max} characters` : `must ${must}`
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

if (process.argv[1] === import.meta.filename) {
  writeFileSync(join(import.meta.dirname, '..', '..', 'docs', 'channels.md'), channelsPage())
}
