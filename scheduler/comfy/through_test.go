package comfy

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"reckoner/scheduler/job"
)

func TestOthersReachAServerAsItsClientDoes(t *testing.T) {
	// Given a server with a certificate of its own, a login and a token
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if user != "me" || password != "sesame" || r.URL.Query().Get("token") != "tok-en" || r.URL.Query().Get("own") != "x" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer s.Close()
	open := func(pins ...string) *Client {
		c, err := New(Options{URL: s.URL, Pins: pins, Access: func(context.Context) (Access, error) {
			return Access{User: "me", Password: "sesame", Query: url.Values{"token": {"tok-en"}}}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	// when its certificate was not accepted, then that is said with its fingerprint
	_, err := open().Through().Get(s.URL + "/system_stats?own=x")
	e, ok := errors.AsType[*job.Error](err)
	if !ok || e.Code != job.ErrTLS || e.Args.Fingerprint == "" {
		t.Fatalf("an unknown certificate gave %v", err)
	}
	// and once it was, the server opens
	known := open(e.Args.Fingerprint)
	res, err := known.Through().Get(s.URL + "/system_stats?own=x")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("status %d", res.StatusCode)
	}
	// but what opens it goes nowhere else, though it shows the same certificate
	other := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another server was asked") }))
	defer other.Close()
	if _, err := known.Through().Get(other.URL); err == nil {
		t.Error("another server could be asked")
	}
}
