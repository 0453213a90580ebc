type Programs = Readonly<Record<string, { typescript: string; python: string; go: string }>>

/** The tasks with the SDKs of Anthropic. They have no webhooks. */
export const anthropic: Programs = {
  'First run': {
    typescript: `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic()
const message = await client.messages.create({ model, max_tokens: 1_024, messages: [{ role: 'user', content: 'Hello' }] })
console.log(message.stop_reason, message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''))`,
    python: `from anthropic import Anthropic

client = Anthropic()
message = client.messages.create(model=model, max_tokens=1024, messages=[{"role": "user", "content": "Hello"}])
print(message.stop_reason, "".join(block.text for block in message.content if block.type == "text"))`,
    go: `client := anthropic.NewClient()
message, err := client.Messages.New(ctx, anthropic.MessageNewParams{
	Model:     model,
	MaxTokens: 1024,
	Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Hello"))},
})
if err != nil {
	log.Fatal(err)
}
for _, block := range message.Content {
	fmt.Print(block.Text)
}`,
  },
  Stream: {
    typescript: `const stream = client.messages.stream({ model, max_tokens: 1_024, messages })
for await (const event of stream) {
  if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') process.stdout.write(event.delta.text)
}
const message = await stream.finalMessage()`,
    python: `with client.messages.stream(model=model, max_tokens=1024, messages=messages) as stream:
    for text in stream.text_stream:
        print(text, end="", flush=True)
    message = stream.get_final_message()`,
    go: `stream := client.Messages.NewStreaming(ctx, params)
message := anthropic.Message{}
for stream.Next() {
	event := stream.Current()
	if err := message.Accumulate(event); err != nil {
		log.Fatal(err)
	}
	if delta, ok := event.AsAny().(anthropic.ContentBlockDeltaEvent); ok {
		fmt.Print(delta.Delta.Text)
	}
}
if err := stream.Err(); err != nil {
	log.Fatal(err)
}`,
  },
  List: {
    typescript: `for await (const batch of client.messages.batches.list({ limit: 50 })) {
  console.log(batch.id, batch.processing_status)
  break
}
const page = await client.messages.batches.list({ limit: 50 })
console.log(page.data.length, page.hasNextPage())`,
    python: `for batch in client.messages.batches.list(limit=50):
    print(batch.id, batch.created_at)
page = client.messages.batches.list(limit=50)`,
    go: `batches := client.Messages.Batches.ListAutoPaging(ctx, anthropic.MessageBatchListParams{})
for batches.Next() {
	fmt.Println(batches.Current().ProcessingStatus)
}
if err := batches.Err(); err != nil {
	log.Fatal(err)
}`,
  },
  Error: {
    typescript: `import { APIError, NotFoundError, RateLimitError } from '@anthropic-ai/sdk'

try {
  await client.messages.batches.retrieve(id)
} catch (error) {
  if (error instanceof NotFoundError) console.log('It does not exist')
  else if (error instanceof RateLimitError) console.log(error.headers?.get('retry-after'))
  else if (error instanceof APIError) console.error(error.status, error.message, error.requestID)
  else throw error
}`,
    python: `from anthropic import APIStatusError, NotFoundError, RateLimitError

try:
    client.messages.batches.retrieve(id)
except NotFoundError:
    print("It does not exist")
except RateLimitError as error:
    print(error.response.headers.get("retry-after"))
except APIStatusError as error:
    print(error.status_code, error.message, error.request_id)`,
    go: `_, err := client.Messages.Batches.Get(ctx, id)
var refused *anthropic.Error
switch {
case errors.As(err, &refused) && refused.StatusCode == http.StatusNotFound:
	fmt.Println("It does not exist")
case errors.As(err, &refused):
	fmt.Println(refused.StatusCode, refused.RequestID)
case err != nil:
	log.Fatal(err)
}`,
  },
  Batch: {
    typescript: `const requests = ids.map((id) => ({ custom_id: id, params: { model, max_tokens: 1_024, messages: messagesOf(id) } }))
let batch = await client.messages.batches.create({ requests })
while (batch.processing_status !== 'ended') {
  await sleep(5_000)
  batch = await client.messages.batches.retrieve(batch.id)
}
for await (const { custom_id, result } of await client.messages.batches.results(batch.id)) {
  console.log(custom_id, result.type, result.type === 'succeeded' ? result.message.content : null)
}`,
    python: `requests = [{"custom_id": id, "params": {"model": model, "max_tokens": 1024, "messages": messages(id)}} for id in ids]
batch = client.messages.batches.create(requests=requests)
while batch.processing_status != "ended":
    time.sleep(5)
    batch = client.messages.batches.retrieve(batch.id)
for entry in client.messages.batches.results(batch.id):
    print(entry.custom_id, entry.result.type)`,
    go: `batch, err := client.Messages.Batches.New(ctx, anthropic.MessageBatchNewParams{Requests: requests})
for err == nil && batch.ProcessingStatus != anthropic.MessageBatchProcessingStatusEnded {
	time.Sleep(5 * time.Second)
	batch, err = client.Messages.Batches.Get(ctx, batch.ID)
}
if err != nil {
	log.Fatal(err)
}
results := client.Messages.Batches.ResultsStreaming(ctx, batch.ID)
for results.Next() {
	fmt.Println(results.Current().CustomID, results.Current().Result.Type)
}
if err := results.Err(); err != nil {
	log.Fatal(err)
}`,
  },
  Cancel: {
    typescript: `let batch = await client.messages.batches.create({ requests })
batch = await client.messages.batches.cancel(batch.id)`,
    python: `batch = client.messages.batches.create(requests=requests)
batch = client.messages.batches.cancel(batch.id)`,
    go: `if batch, err = client.Messages.Batches.Cancel(ctx, batch.ID); err != nil {
	log.Fatal(err)
}`,
  },
}

/** The tasks with the SDKs of Stripe that do not need a model. */
export const stripe: Programs = {
  List: {
    typescript: `for await (const charge of client.charges.list({ limit: 50 })) {
  console.log(charge.id, charge.status)
  break
}
const page = await client.charges.list({ limit: 50 })
console.log(page.data.length, page.has_more)`,
    python: `for charge in client.v1.charges.list({"limit": 50}).auto_paging_iter():
    print(charge.id, charge.created)
page = client.v1.charges.list({"limit": 50})`,
    go: `for charge, err := range client.V1Charges.List(ctx, &stripe.ChargeListParams{}).All(ctx) {
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(charge.Status)
	break
}`,
  },
  Error: {
    typescript: `import Stripe from 'stripe'

try {
  await client.charges.retrieve(id)
} catch (error) {
  if (error instanceof Stripe.errors.StripeRateLimitError) console.log('Too many requests')
  else if (error instanceof Stripe.errors.StripeError && error.statusCode === 404) console.log('It does not exist')
  else if (error instanceof Stripe.errors.StripeError) console.error(error.statusCode, error.code, error.requestId)
  else throw error
}`,
    python: `import stripe

try:
    client.v1.charges.retrieve(id)
except stripe.RateLimitError:
    print("Too many requests")
except stripe.StripeError as error:
    if error.http_status == 404:
        print("It does not exist")
    else:
        print(error.http_status, error.code, error.request_id)`,
    go: `_, err := client.V1Charges.Retrieve(ctx, id, nil)
var refused *stripe.Error
switch {
case errors.As(err, &refused) && refused.HTTPStatusCode == http.StatusNotFound:
	fmt.Println("It does not exist")
case errors.As(err, &refused):
	fmt.Println(refused.HTTPStatusCode, refused.Code, refused.RequestID)
case err != nil:
	log.Fatal(err)
}`,
  },
  Retry: {
    typescript: `const intent = await client.paymentIntents.create(
  { amount: 2_000, currency: 'eur' },
  { idempotencyKey: orderId, maxNetworkRetries: 5, timeout: 120_000 },
)`,
    python: `intent = client.v1.payment_intents.create(
    {"amount": 2000, "currency": "eur"}, {"idempotency_key": "order-66", "max_network_retries": 5}
)`,
    go: `params := &stripe.PaymentIntentCreateParams{Amount: stripe.Int64(2000), Currency: stripe.String("eur")}
params.SetIdempotencyKey(orderID)
intent, err := client.V1PaymentIntents.Create(ctx, params)`,
  },
  Webhook: {
    typescript: `const receive = async (request: Request): Promise<Response> => {
  try {
    const signature = request.headers.get('stripe-signature') ?? ''
    const event = await client.webhooks.constructEventAsync(await request.text(), signature, secret)
    if (event.type === 'charge.succeeded') console.log(event.data.object.id)
    return new Response(null, { status: 204 })
  } catch (error) {
    return new Response(null, { status: error instanceof Stripe.errors.StripeSignatureVerificationError ? 400 : 500 })
  }
}`,
    python: `def receive(body: bytes, headers: Mapping[str, str]) -> int:
    try:
        event = client.construct_event(body, headers["stripe-signature"], secret)
    except stripe.SignatureVerificationError:
        return 400
    if event.type == "charge.succeeded":
        print(event.data.object.id)
    return 204`,
    go: `http.HandleFunc("POST /hook", func(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	event, err := webhook.ConstructEvent(body, request.Header.Get("Stripe-Signature"), secret)
	if err != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	if event.Type == "charge.succeeded" {
		fmt.Println(event.ID)
	}
	response.WriteHeader(http.StatusNoContent)
})`,
  },
}
