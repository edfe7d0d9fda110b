// Command kubernetes decodes Kubernetes manifests from stdin with the types of Kubernetes itself. It fails if a
// manifest has a member that its type lacks, or is of a kind that it does not know. It prints how many documents it
// read. It is a separate module, since the service needs none of its dependencies.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	strict "sigs.k8s.io/yaml"
)

func main() {
	count, err := read(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(count)
}

func read(manifests io.Reader) (count int, err error) {
	documents := yaml.NewYAMLReader(bufio.NewReader(manifests))
	for ; ; count++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return count, nil
		}
		if err != nil {
			return count, err
		}
		var kind struct{ APIVersion, Kind string }
		if err := strict.Unmarshal(document, &kind); err != nil {
			return count, err
		}
		object, known := map[string]any{
			"v1 ConfigMap": &corev1.ConfigMap{}, "v1 Service": &corev1.Service{}, "apps/v1 Deployment": &appsv1.Deployment{},
			"policy/v1 PodDisruptionBudget": &policyv1.PodDisruptionBudget{},
		}[kind.APIVersion+" "+kind.Kind]
		if !known {
			return count, fmt.Errorf("document %d is a %s of %q", count+1, kind.Kind, kind.APIVersion)
		}
		if err := strict.UnmarshalStrict(bytes.TrimSpace(document), object); err != nil {
			return count, fmt.Errorf("%s of document %d: %w", kind.Kind, count+1, err)
		}
	}
}
