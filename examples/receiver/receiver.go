// Receives webhooks of Agent Run Service. Go 1.19, no packages: PORT=8080 WEBHOOK_SECRET=whsec_… go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const toleranceSeconds, bodyMaxBytes = 300, 16_777_216

// X-SERVICE-Signature: hex over the bytes of the body. The key is the whole secret, as text.
func plainFits(secret string, headers http.Header, body []byte) bool {
	return isEqual(headers.Get("X-SERVICE-Signature"), hex.EncodeToString(sign([]byte(secret), body)))
}

// Standard Webhooks: base64 over id, time and body, so that old deliveries are rejected.
func standardFits(secret string, headers http.Header, body []byte, now int64) bool {
	timestamp := headers.Get("webhook-timestamp")
	at, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now-at > toleranceSeconds || at-now > toleranceSeconds {
		return false
	}
	signed := append([]byte(headers.Get("webhook-id")+"."+timestamp+"."), body...)
	wanted := "v1," + base64.StdEncoding.EncodeToString(sign(standardKey(secret), signed))
	fits := false
	for _, given := range signaturesOf(headers) {
		fits = isEqual(given, wanted) || fits
	}
	return fits
}

// During a rotation there are two signatures, and the plain signature still uses the old secret.
func signaturesOf(headers http.Header) []string {
	return strings.Split(headers.Get("webhook-signature"), " ")
}

// The key is the base64 after whsec_. If that is not base64 of 24 to 64 bytes, the whole secret is the key.
func standardKey(secret string) []byte {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < 24 || len(key) > 64 {
		return []byte(secret)
	}
	return key
}

func sign(key, content []byte) []byte {
	code := hmac.New(sha256.New, key)
	code.Write(content)
	return code.Sum(nil)
}

// `==` stops at the first difference, so its duration reveals how much of a guess is correct.
func isEqual(given, wanted string) bool { return hmac.Equal([]byte(given), []byte(wanted)) }

type event struct{ ID, Type string }

// Your work. Respond within 10 s; put longer work into a queue.
func handle(one event) { fmt.Println(one.Type, one.ID) }

// An event can be delivered more than once. Store its id together with your work; this example keeps up to 10,000 ids in memory.
var lock, seen = sync.Mutex{}, map[string]bool{}

func isNew(id string) bool {
	lock.Lock()
	defer lock.Unlock()
	if len(seen) >= 10_000 {
		seen = map[string]bool{}
	}
	isOld := seen[id]
	seen[id] = true
	return !isOld
}

func receive(answer http.ResponseWriter, request *http.Request) {
	// Verify the raw bytes, before any parsing.
	body, err := io.ReadAll(http.MaxBytesReader(answer, request.Body, bodyMaxBytes))
	secret, headers, one := os.Getenv("WEBHOOK_SECRET"), request.Header, event{}
	isGenuine := err == nil && standardFits(secret, headers, body, time.Now().Unix()) &&
		(len(signaturesOf(headers)) > 1 || plainFits(secret, headers, body))
	if !isGenuine || json.Unmarshal(body, &one) != nil {
		answer.WriteHeader(http.StatusUnauthorized)
		return
	}
	if isNew(one.ID) {
		handle(one)
	}
	answer.WriteHeader(http.StatusNoContent)
}

func main() {
	fmt.Println("listening on", os.Getenv("PORT"))
	server := http.Server{Addr: ":" + os.Getenv("PORT"), Handler: http.HandlerFunc(receive), ReadTimeout: 30 * time.Second}
	if certificate := os.Getenv("TLS_CERT"); certificate != "" { // Without one, run it behind a proxy that terminates TLS.
		log.Fatal(server.ListenAndServeTLS(certificate, os.Getenv("TLS_KEY")))
	}
	log.Fatal(server.ListenAndServe())
}
