// A program that starts the embedded nats-server on the data folder it is given, says so on standard output, and stays. It is
// there to be killed.
import { obtainNatsServer, startNatsServer } from '../../infra/embedded/nats-server.ts'

const [toolsFolder = '', dataFolder = ''] = process.argv.slice(2)
const binary = await obtainNatsServer({ toolsFolder, log: () => undefined })
const { url, token, pid } = await startNatsServer({ binary, dataFolder, port: 0 })
process.stdout.write(`${JSON.stringify({ url, token, pid })}\n`)
setInterval(() => undefined, 60_000)
