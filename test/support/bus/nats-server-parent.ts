// Program for tests, which kill it. It starts the embedded nats-server on the given data folder, reports the start on standard output, and
// keeps running.
import { obtainNatsServer, startNatsServer } from '../../../infra/runtime/bus/nats-server.ts'

const [toolsFolder = '', dataFolder = ''] = process.argv.slice(2)
const binary = await obtainNatsServer({ toolsFolder, log: () => undefined })
const { url, token, pid } = await startNatsServer({ binary, dataFolder, port: 0 })
process.stdout.write(`${JSON.stringify({ url, token, pid })}\n`)
setInterval(() => undefined, 60_000)
