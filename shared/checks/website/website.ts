// The kind of check of website monitors: one request over HTTP or HTTPS, with the options of generations 1 and 2.
import type { CheckEntry } from '#shared/contracts/observations/check.ts'
import type { Watching } from '#shared/contracts/subjects/check.ts'
import { type CheckKind, hasOptions, optionsOf } from '../check-kind.ts'
import { shownUrl } from '../shown-url.ts'
import { minuteWatchFields } from '../watch-fields.ts'
import { type WebsiteAnswers, websiteFields } from './fields.ts'
import { websiteTemplate } from './website-template.ts'

/** Stored check of a website monitor. */
export type WebsiteCheck = Watching & WebsiteAnswers

/** Its members are the answers in camel case beside `rev`, and it names no kind, because older probers read it. */
export type WebsiteEntry = Omit<CheckEntry, 'kind'> & { [K in keyof WebsiteAnswers as Camel<K>]: WebsiteAnswers[K] }

type Camel<K extends string> = K extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : K

const camel = (key: string): string => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const entryFields = websiteFields.map(field => ({ ...field, key: camel(field.key) }))

const [templateKey = '', templateVersion] = websiteTemplate.split('@')

export const website: CheckKind = {
  key: 'website',
  name: 'Website',
  watches: 'A website',
  help: 'Sends one request to a URL and judges status and body of the answer.',
  value: { name: 'Time', unit: 'ms' },
  fields: websiteFields,
  watch: minuteWatchFields,
  isSuperseded: true,
  templates: [
    {
      key: templateKey,
      version: Number(templateVersion),
      name: 'Website check',
      summary: 'Checks a URL from several locations and opens an Incident when enough of them fail.',
    },
  ],
  shown: check => shownUrl((check as WebsiteCheck).method, (check as WebsiteCheck).url),
  entry: check => Object.fromEntries(Object.entries(optionsOf(websiteFields, check)).map(([key, value]) => [camel(key), value])),
  isEntry: value => hasOptions(entryFields, value),
}
