// Fields of a check over HTTP and HTTPS. Generations 1 and 2 have their own names and words for the first six of them
// (services/gateway/website/settings.ts). Reference: docs/reference/v3.md, 3.10.
import { type AnswersOf, checkField } from '../check-field.ts'

export const url = checkField({
  key: 'url',
  type: 'url',
  label: 'URL',
  required: true,
  characters: 2_048,
  must: 'be a valid http or https URL',
})
export const method = checkField({
  key: 'method',
  type: 'enum',
  label: 'Method',
  default: 'GET',
  options: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
})
export const contentType = checkField({
  key: 'content_type',
  type: 'string',
  label: 'Content type of the body',
  hint: 'Empty: none is sent.',
  default: '',
  characters: 255,
  form: 'media type',
})
export const data = checkField({
  key: 'data',
  type: 'string',
  label: 'Body',
  default: '',
  secret: true,
  bytes: 64 * 1024,
  form: 'lines',
})
export const statuses = checkField({
  key: 'statuses',
  type: 'integer_list',
  label: 'Accepted statuses',
  default: [200],
  items: [1, 10],
  each: [100, 599],
  itemWords: 'statuses',
})
export const expectedText = checkField({
  key: 'expected_text',
  type: 'string',
  label: 'Text that the response must hold',
  hint: 'Empty: none is looked for.',
  default: '',
  characters: 4_096,
})

export const websiteFields = [url, method, contentType, data, statuses, expectedText] as const

export type WebsiteAnswers = AnswersOf<typeof websiteFields>
