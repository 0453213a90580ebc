/** Every bound that a client can meet, by name. The unit stands last. */
export const limits = {
  bodyBytes: 1_048_576,
  headerBytes: 16_384,
  idempotencyKeyChars: 255,
  idempotencyKeyHours: 24,
  metadataKeys: 16,
  metadataKeyChars: 64,
  metadataValueChars: 512,
  /** Below the 60 s at which common proxies cut an idle request. */
  waitDefaultSeconds: 55,
  waitMaxSeconds: 300,
  runTimeoutDefaultSeconds: 600,
  runTimeoutMaxSeconds: 86_400,
  pageSizeDefault: 20,
  pageSizeMax: 100,
} as const
