/** Ids that stand in the examples of the API documentation; the tests that run them put real ones in their place. */
export const sampleIds = {
  memory: '2d09116a-7c41-4a33-9f0e-6f1f2a1d9b70',
  otherMemory: '9b1f6c0e-52f3-4f5c-8d0a-1c6f0f6f7a11',
  conversation: 'conv_0b8f1d0e-9c0f-4f6e-8a55-3a0f0d9f5c11',
} as const;
