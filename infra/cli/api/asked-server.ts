// The server that this command has asked last. A command may meet an object without the members that it needs, long after its request: the
// sentence about it names the server.
let asked: string | null = null

export const noteAsked = (url: string): void => {
  asked = url
}

/** Returns the address; null: the command has asked no server. */
export const askedServer = (): string | null => asked
