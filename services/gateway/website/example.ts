// Example of a website monitor in the OpenAPI documents of generations 1 and 2.

/** Id of the workspace in examples. The page that shows the documents replaces it by the id of the reader's first workspace. */
export const workspaceStandIn = 'WORKSPACE_ID'

export const inWorkspaceExample = { workspace_id: workspaceStandIn }

export const websiteExample = {
  name: 'Shop',
  interval: 60,
  request: { url: 'https://shop.example/health', method: 'GET' },
  response: { statuses: [200, 204], body: { content: 'healthy' } },
}

export const slowerExample = { ...websiteExample, name: 'Shop, every 5 minutes', interval: 300 }
