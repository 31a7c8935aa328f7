// The far end of Twilio, as its documents describe the Messages resource: takes a form, queues a message, knows numbers that cannot get any.
// No network.
export interface FarForm {
  path: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string
}

/** The example of the documents, and its answer, shortened. */
export const recorded = {
  request: 'To=%2B15558675310&From=%2B15017122661&Body=Hi+there',
  answer: {
    status: 201,
    body: { sid: 'SMaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', status: 'queued', to: '+15558675310', error_code: null },
  },
}

export const account = { sid: `AC${'0a'.repeat(16)}`, token: 'SECRET-twilio' }

interface Texted {
  to: string
  from: string
  body: string
}

export function createTwilio() {
  const texts: Texted[] = []
  const refused = (code: number, message: string) => ({ status: 400, body: JSON.stringify({ code, message, status: 400 }) })
  return {
    texts,
    answer: ({ path, headers, body }: FarForm): { status: number; body: string } => {
      const basic = `Basic ${Buffer.from(`${account.sid}:${account.token}`).toString('base64')}`
      if (headers['authorization'] !== basic) return { status: 401, body: '{"code":20003,"message":"Authenticate"}' }
      if (path !== `/2010-04-01/Accounts/${account.sid}/Messages.json`) return { status: 404, body: '{"code":20404}' }
      if (headers['content-type'] !== 'application/x-www-form-urlencoded') return refused(21602, 'Message body is required.')
      const form = new URLSearchParams(body)
      const [to, from, text] = [
        form.get('To') ?? '',
        form.get('From') ?? form.get('MessagingServiceSid') ?? '',
        form.get('Body') ?? '',
      ]
      if (!/^\+[1-9]\d{6,14}$/.test(to)) return refused(21211, `The 'To' number ${to} is not a valid phone number.`)
      if (to.endsWith('000')) return refused(21610, 'Attempt to send to unsubscribed recipient')
      if (from === '') return refused(21603, "A 'From' phone number is required.")
      if (form.has('MessagingServiceSid') !== from.startsWith('MG')) return refused(21212, 'The From number is not valid.')
      if (text === '') return refused(21602, 'Message body is required.')
      if (text.length > 1_600) return refused(21617, 'The concatenated message body exceeds the 1600 character limit.')
      texts.push({ to, from, body: text })
      return { status: 201, body: JSON.stringify({ ...recorded.answer.body, to }) }
    },
  }
}
