// Script for mongosh, to run on the first member over loopback. Creates the replica set of three members, and two users: `watchkeeper` for
// the services, `admin` for people. A second run does no harm. MongoDB requires no password on loopback until a user exists.
const { readFileSync } = require('node:fs')

const passwords = JSON.parse(readFileSync('/etc/mongo/secrets/passwords.json', 'utf8'))
const admin = db.getSiblingDB('admin')
const store = db.getSiblingDB('watchkeeper')
const patienceMs = 120_000
const pauseMs = 500

if (!db.hello().setName) {
  const members = [0, 1, 2].map(number => ({ _id: number, host: `mongo-${number}.mongo:27017` }))
  rs.initiate({ _id: 'rs0', members })
}
const where = waitForPrimary()
if (where === 'here') makeUsers()
else if (!signIn() || store.getUser('watchkeeper') === null)
  throw new Error(`Users are missing: run this within the primary, ${where}.`)

/** Waits for a primary member and returns its address, or `here` if this member is the primary. */
function waitForPrimary() {
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += pauseMs) {
    const { isWritablePrimary, primary } = db.hello()
    if (isWritablePrimary) return 'here'
    if (primary) return primary
    sleep(pauseMs)
  }
  throw new Error('The replica set has no primary: start the other members.')
}

function makeUsers() {
  if (!signIn()) {
    admin.createUser({ user: 'admin', pwd: passwords.admin, roles: ['root'] })
    signIn()
  }
  if (store.getUser('watchkeeper') !== null) return
  store.createUser({ user: 'watchkeeper', pwd: passwords.watchkeeper, roles: [{ role: 'readWrite', db: 'watchkeeper' }] })
}

function signIn() {
  try {
    return admin.auth('admin', passwords.admin).ok === 1
  } catch {
    return false
  }
}
