// Example of a website monitor in the documents of both generations.

/** Stand-in that the page of the documents replaces by the reader's first workspace. */
export const workspaceStandIn = 'WORKSPACE_ID'

export const inWorkspaceExample = { workspace_id: workspaceStandIn }

export const websiteExample = {
  name: 'Shop',
  interval: 60,
  request: { url: 'https://shop.example/health', method: 'GET' },
  response: { statuses: [200, 204], body: { content: 'healthy' } },
}

export const slowerExample = { ...websiteExample, name: 'Shop, every 5 minutes', interval: 300 }
