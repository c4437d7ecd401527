/**
 * Ids in the examples of the API documentation; the tests that run the examples replace them with real ones.
 */
export const sampleIds = {
  memory: '2d09116a-7c41-4a33-9f0e-6f1f2a1d9b70',
  otherMemory: '9b1f6c0e-52f3-4f5c-8d0a-1c6f0f6f7a11',
  conversation: 'conv_0b8f1d0e-9c0f-4f6e-8a55-3a0f0d9f5c11',
  fact: '5f0c2c56-8a5e-4f0b-b1ac-1e6c5b1f8f21',
  artifact: 'c6a1a5e0-61f7-45a5-8b5c-0b3f1f7a2d33',
  narrative: 'e2b9c1d4-3f7a-4c58-9a06-7d5b8e1f4a02',
  entity: '1f9d3b60-6d0c-4b57-8a43-2c7f0e5d9a13',
  otherEntity: '7c2e8a94-05b1-4f6e-9d38-b1a6c4f07e25',
  mergedEntity: 'a83f5d17-9e42-4c0b-b6d5-3f08e7c1d946',
  topic: '6a4f3c52-0d5e-4b0c-9d1b-7f6f4f7f2c31',
  otherTopic: 'c3b7a6d4-41f0-4a63-8a9e-2f0e5d9b8e42',
  graphQuery: '3d8f5b2a-9c47-4e61-b0d2-6a7f8c9e1d45',
  pattern: '4e8a2b71-6c3d-4f90-9b15-0a7d6e5c3f28',
  community: '0f7d1e6a-3b52-4c8e-9a41-5d2c7e8f6b19',
  otherCommunity: '7b1c9d3e-6f24-4a05-8e93-1c4d5f6a7b28',
} as const;
