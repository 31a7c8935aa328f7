// A check of a name at a name server: one question by UDP, once more after half of the time, and by TCP if the answer was too long. Owns its
// sockets, and releases them in every case. Never throws.
import { createSocket, type Socket } from 'node:dgram'
import { Resolver } from 'node:dns'
import { isIPv6 } from 'node:net'
import { type DnsAnswers, dnsFields } from '#shared/checks/dns/fields.ts'
import { judgeAnswer, withoutAnswer } from '#shared/checks/dns/judge.ts'
import { slowness } from '#shared/checks/slowness.ts'
import type { CheckEntry } from '#shared/contracts/observations/check.ts'
import { asciiName } from '#shared/net/domain-name.ts'
import { type Egress, permitted } from '#shared/net/egress.ts'
import { type NameServer, nameServerText, readNameServer } from '#shared/net/name-server.ts'
import type { Cancel } from '#shared/time/clock.ts'
import { BoundedCheck, type Done } from '../bounded-check.ts'
import { type CheckContext, type Checker, noDetails } from '../checker.ts'
import { addressTarget, Connection, type ConnectionTarget } from '../connection.ts'
import { optionsIn } from '../options.ts'
import { errorSentence, sentences, timeoutSentence } from '../sentences.ts'
import { createQuestion, framed, isAnswerTo, isTruncated, readAnswer, unframed } from './packet.ts'

/** Makes checks whose usual name server is the first of `nameServers`, in the forms of `readNameServer`. */
export const createDnsChecker =
  (nameServers: () => readonly string[]): Checker =>
  (entry, context, done) =>
    new DnsCheck(optionsIn(dnsFields, entry), entry, context, done, nameServers)

/** The name servers are read anew for each check, because the system may change them. */
export const checkDns = createDnsChecker(() => new Resolver().getServers())

/** Rules for the name servers of the prober itself. */
const anywhere: Egress = { refusal: () => null, isPublic: () => false }

class DnsCheck extends BoundedCheck<DnsAnswers> {
  readonly #nameServers: () => readonly string[]
  readonly #question = createQuestion(asciiName(this.options.name) ?? this.options.name, this.options.record)
  #udp: Socket | null = null
  #tcp: Connection | null = null
  #cancelRetry: Cancel | null = null

  constructor(options: DnsAnswers, entry: CheckEntry, context: CheckContext, done: Done, nameServers: () => readonly string[]) {
    super(options, entry, context, done)
    this.#nameServers = nameServers
  }

  start(): void {
    const named = this.options.server
    const server = readNameServer(named === '' ? (this.#nameServers()[0] ?? '') : named)
    if (server === null) this.settle(withoutAnswer.noServer, { value: null, cannot: true })
    else this.#ask(server, named === '' ? anywhere : this.context.egress)
  }

  #ask(server: NameServer, egress: Egress): void {
    const target = addressTarget(server.address, server.port)
    this.after(this.totalMs, () => this.#fail(withoutAnswer.silent(nameServerText(server), this.totalMs)))
    try {
      permitted(egress, [server.address], server.port)
      this.#askByUdp(target, egress)
    } catch (error) {
      this.#fail(this.#sentence(error as Error, target))
    }
  }

  /** The socket is connected, so the system passes only what comes from the address and the port of the server. */
  #askByUdp(target: ConnectionTarget, egress: Egress): void {
    const udp = createSocket(isIPv6(target.hostname) ? 'udp6' : 'udp4')
    this.#udp = udp
    const fail = (error: Error | null) => error !== null && this.#fail(this.#sentence(error, target))
    const send = () => udp.send(this.#question.bytes, fail)
    udp.on('error', fail)
    udp.on('message', message => {
      if (!isAnswerTo(this.#question, message)) return
      if (isTruncated(message)) this.#askByTcp(target, egress)
      else this.#judge(message)
    })
    udp.once('connect', () => {
      this.#cancelRetry = this.after(this.totalMs / 2, send)
      send()
    })
    udp.connect(target.port, target.hostname)
  }

  #askByTcp(target: ConnectionTarget, egress: Egress): void {
    this.#closeUdp()
    const { connectMs } = this.context.bounds
    const cancelBound = this.after(connectMs, () => this.#fail(timeoutSentence('connection', connectMs)))
    let received = Buffer.alloc(0)
    const tcp = new Connection({
      onResolved: () => undefined,
      onConnected: () => {
        cancelBound()
        tcp.write(framed(this.#question.bytes))
      },
      onSecured: () => undefined,
      onFailed: error => this.#fail(this.#sentence(error, target)),
      onBytes: bytes => {
        received = Buffer.concat([received, bytes])
        const message = unframed(received)
        if (message !== null) this.#judge(message)
        return message === null
      },
      onEnd: () => this.#fail(received.length === 0 ? sentences.closedBefore : sentences.closedWithin),
    })
    this.#tcp = tcp
    tcp.open(target, { ...this.context, egress })
  }

  #judge(message: Buffer): void {
    const answer = isAnswerTo(this.#question, message) ? readAnswer(this.#question, message) : null
    const fault = answer === null ? withoutAnswer.unreadable : judgeAnswer(this.options, answer)
    const records = answer && [...answer.records]
    const details = this.context.isTried && { details: { ...noDetails, records } }
    if (fault !== null) this.settle(fault, { value: null, ...details })
    else this.settle(slowness(this.options.max_ms, this.elapsed()), { ...details })
  }

  #fail(fault: string): void {
    this.settle(fault, { value: null })
  }

  #sentence(error: Error, target: ConnectionTarget): string {
    return errorSentence(error, 'connect', target, this.context.clock.now())
  }

  protected release(): void {
    this.#closeUdp()
    this.#tcp?.close()
  }

  #closeUdp(): void {
    this.#cancelRetry?.()
    this.#udp?.close()
    this.#udp = null
  }
}
